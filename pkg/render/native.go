package render

// nativeSteps are the steps of Flink's KubernetesJobManagerFactory, in its order.
func (b *builder) nativeSteps() steps {
	return steps{
		checks: []func(){b.checkLocalUpload, b.checkJar},
		jobManager: []func(*pod){
			b.initJobManager, b.addSecretEnv, b.mountSecrets, b.mountClaims, b.setNativeCommand, b.mountHadoop,
			b.mountKeytab, b.mountKrb5, b.mountConfiguration, b.mountPodTemplate,
		},
		objects: []func(){
			b.addInternalService, b.addRestService, b.addHadoop, b.addKeytab, b.addKrb5, b.addConfiguration,
			b.addPodTemplate,
		},
	}
}
