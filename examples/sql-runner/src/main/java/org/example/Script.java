package org.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Splits a script into its statements. A semicolon ends one, unless it is quoted, in a comment, or inside of BEGIN … END.
 * Comments are left out, but for hints, which begin with a plus sign.
 */
final class Script {
    private static final Pattern TOKEN = Pattern.compile(
            "(?<comment>--[^\n]*|/\\*(?!\\+)(?s:.*?)\\*/)"
                    + "|(?<quoted>'[^']*'|`[^`]*`)"
                    + "|(?<unclosed>'|`|/\\*(?!\\+))"
                    + "|(?<opens>(?i:\\b(BEGIN|CASE)\\b))|(?<closes>(?i:\\bEND\\b))|(?<word>\\w+)"
                    + "|(?<semicolon>;)"
                    + "|(?s:.)");

    /** A statement, and the line of the script on which it begins. */
    static final class Statement {
        final int line;
        final String text;

        Statement(int line, String text) {
            this.line = line;
            this.text = text;
        }
    }

    static List<Statement> split(String script) {
        List<Statement> statements = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        int line = 1;
        int begin = 1;
        int depth = 0;
        for (Matcher token = TOKEN.matcher(script); token.find(); ) {
            if (token.group("unclosed") != null) {
                throw new IllegalArgumentException("line " + line + ": " + token.group() + " is not closed");
            }
            if (token.group("opens") != null) {
                depth++;
            } else if (token.group("closes") != null) {
                depth = Math.max(0, depth - 1);
            }
            String piece = token.group("comment") == null ? token.group() : token.group().replaceAll("[^\n]+", " ");
            if (token.group("semicolon") != null && depth == 0) {
                add(statements, begin, text);
                piece = "";
            } else if (text.length() == 0) {
                piece = piece.stripLeading();
                begin = line;
            }
            text.append(piece);
            line += token.group().chars().filter(c -> c == '\n').count();
        }
        add(statements, begin, text);
        return statements;
    }

    private static void add(List<Statement> statements, int line, StringBuilder text) {
        if (text.length() > 0) {
            statements.add(new Statement(line, text.toString().stripTrailing()));
        }
        text.setLength(0);
    }

    /** Prints the statements of scripts: java Script.java orders.sql. */
    public static void main(String[] files) throws IOException {
        for (String file : files) {
            for (Statement statement : split(Files.readString(Path.of(file)))) {
                System.out.println(file + ":" + statement.line + ": " + statement.text.replaceAll("\\s+", " "));
            }
        }
    }
}
