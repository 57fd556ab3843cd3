import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The job whose life is recorded: an endless sequence through two vertices, with switches for everything that may go
 * wrong. Options: --checkpoint-ms N (0: none), --snapshot-ms N (how long a snapshot takes), --fail-after N (records),
 * --records N (how many there are, else no end), --main-ms N (how long main waits), --fail-main, --fail-close,
 * --fail-close-once (only the first time in a TaskManager), --set KEY=VALUE (an option that the code sets).
 */
public class RecordJob {
    public static void main(String[] args) throws Exception {
        List<String> options = Arrays.asList(args);
        Thread.sleep(number(options, "--main-ms", 0));
        if (options.contains("--fail-main")) {
            throw new IllegalStateException("main was told to fail");
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        long interval = number(options, "--checkpoint-ms", 0);
        if (interval > 0) {
            env.enableCheckpointing(interval);
        }
        int set = options.indexOf("--set");
        if (set >= 0) {
            String[] option = options.get(set + 1).split("=", 2);
            env.configure(Configuration.fromMap(Map.of(option[0], option[1])), RecordJob.class.getClassLoader());
        }
        env.fromSequence(1, number(options, "--records", Long.MAX_VALUE))
                .uid("numbers")
                // Slower than what follows, so that no barrier waits behind full buffers.
                .map(RecordJob::wait5)
                .uid("pace")
                .keyBy(n -> n % 8)
                .map(new Step(number(options, "--snapshot-ms", 0), number(options, "--fail-after", 0), options))
                .uid("step")
                .filter(n -> false)
                .uid("none")
                .print()
                .uid("sink");
        env.execute("record job");
    }

    private static Long wait5(Long n) throws InterruptedException {
        Thread.sleep(5);
        return n;
    }

    private static long number(List<String> options, String name, long otherwise) {
        int at = options.indexOf(name);
        return at < 0 ? otherwise : Long.parseLong(options.get(at + 1));
    }

    private static class Step extends RichMapFunction<Long, Long> implements CheckpointedFunction {
        private final long snapshotMillis;
        private final long failAfter;
        private final boolean failClose;
        private final boolean failCloseOnce;
        private long seen;

        Step(long snapshotMillis, long failAfter, List<String> options) {
            this.snapshotMillis = snapshotMillis;
            this.failAfter = failAfter;
            this.failClose = options.contains("--fail-close");
            this.failCloseOnce = options.contains("--fail-close-once");
        }

        @Override
        public Long map(Long n) {
            if (failAfter > 0 && ++seen > failAfter) {
                throw new IllegalStateException("record was told to fail", new RuntimeException("the root of it"));
            }
            return n;
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            Thread.sleep(snapshotMillis);
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {}

        @Override
        public void close() {
            // A property of the process: the job's classes may be loaded again.
            if (failClose || failCloseOnce && System.setProperty("record.failed", "yes") == null) {
                throw new IllegalStateException("close was told to fail");
            }
        }
    }
}
