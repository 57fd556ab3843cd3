package org.apache.flink.streaming.examples.wordcount;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

import java.util.Locale;

/**
 * The test cluster's stand-in for Flink's example of the same name, which is not published for every version. It
 * is compiled for each from 1.15 on.
 *
 * <p>Prints how often each word is in a text of its own, and ends. In BATCH mode it prints a word once, with its count.
 *
 * <p>Options: --execution-mode NAME (STREAMING, BATCH or AUTOMATIC; STREAMING). Others are accepted and ignored.
 */
public class WordCount {

    private static final String[] TEXT = {
        "To be, or not to be,--that is the question:--",
        "Whether 'tis nobler in the mind to suffer",
        "The slings and arrows of outrageous fortune",
        "Or to take arms against a sea of troubles,",
        "And by opposing end them?--To die,--to sleep,--",
    };

    public static void main(String[] args) throws Exception {
        RuntimeExecutionMode mode = RuntimeExecutionMode.STREAMING;
        for (int i = 0; i + 1 < args.length; i++) {
            if (args[i].equals("--execution-mode")) {
                mode = RuntimeExecutionMode.valueOf(args[++i].toUpperCase(Locale.ROOT));
            }
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setRuntimeMode(mode);
        env.fromSequence(0, TEXT.length - 1)
                .uid("source")
                .flatMap((Long line, Collector<Tuple2<String, Integer>> out) -> {
                    for (String word : TEXT[line.intValue()].toLowerCase(Locale.ROOT).split("\\W+")) {
                        if (!word.isEmpty()) {
                            out.collect(Tuple2.of(word, 1));
                        }
                    }
                })
                .returns(Types.TUPLE(Types.STRING, Types.INT))
                .name("tokenizer")
                .keyBy(word -> word.f0)
                .sum(1)
                .name("counter")
                .uid("counter")
                .print()
                .name("print-sink")
                .uid("sink");
        env.execute("WordCount");
    }
}
