package org.example;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the statements of a SQL script, one after the other, as one application. It has one job: one INSERT, or all of them
 * in EXECUTE STATEMENT SET BEGIN … END. SET 'key' = 'value' counts for the whole script.
 */
public final class SqlRunner {
    private static final Pattern SET = Pattern.compile("(?is)SET\\s+'([^']+)'\\s*=\\s*'(.*)'");

    public static void main(String[] args) throws Exception {
        if (args.length != 1) {
            throw new IllegalArgumentException("want one argument, the path of a script");
        }
        Configuration settings = new Configuration();
        List<Script.Statement> statements = new ArrayList<>();
        for (Script.Statement statement : Script.split(Files.readString(Path.of(args[0])))) {
            Matcher set = SET.matcher(statement.text);
            if (set.matches()) {
                settings.setString(set.group(1), set.group(2).replace("''", "'"));
            } else {
                statements.add(statement);
            }
        }
        TableEnvironment tables = TableEnvironment.create(
                EnvironmentSettings.newInstance().withConfiguration(settings).build());
        for (Script.Statement statement : statements) {
            try {
                tables.executeSql(statement.text);
            } catch (RuntimeException e) {
                throw new IllegalStateException("the statement at line " + statement.line + " of " + args[0], e);
            }
        }
    }
}
