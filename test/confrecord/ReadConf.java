import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;

/** Loads the configuration directories 0, 1, 2 and so on of a directory, and prints what Flink has read. */
public class ReadConf {
    public static void main(String[] args) {
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            Configuration loaded;
            try {
                loaded = GlobalConfiguration.loadConfiguration(args[0] + "/" + i);
            } catch (RuntimeException e) {
                continue; // no cluster starts with it
            }
            for (String key : loaded.keySet()) {
                String value = loaded.get(ConfigOptions.key(key).stringType().noDefaultValue());
                System.out.println(i + " " + base64(key) + " " + base64(value));
            }
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
