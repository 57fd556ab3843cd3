package org.apache.flink.streaming.examples.load;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A load that can be changed while the job runs, to see an autoscaler follow it: records wait in a {@link Queue}, and
 * each takes a subtask some time of work, in which it sleeps and costs the machine nothing.
 *
 * <p>Options: --rate-file FILE (it holds how many records come in each second, as text, and is read again and again;
 * /load/rate), --work MICROSECONDS (for each record, 5000).
 */
public class LoadExample {

    public static void main(String[] args) throws Exception {
        String file = "/load/rate";
        long micros = 5000;
        for (int i = 0; i + 1 < args.length; i += 2) {
            switch (args[i]) {
                case "--rate-file":
                    file = args[i + 1];
                    break;
                case "--work":
                    micros = Long.parseLong(args[i + 1]);
                    break;
                default:
            }
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(new Queue(file), WatermarkStrategy.noWatermarks(), "load")
                .uid("load")
                .keyBy(record -> record % 64)
                .map(new Work(micros))
                .name("Work")
                .uid("work")
                .filter(record -> false)
                .print()
                .uid("sink");
        env.execute("Load");
    }

    private static class Work implements MapFunction<Long, Long> {
        private final long nanos;
        private transient long owed;

        Work(long micros) {
            this.nanos = micros * 1000;
        }

        /** Sleeps for some records at once: a sleep takes longer than it is asked to. */
        @Override
        public Long map(Long record) throws InterruptedException {
            owed += nanos;
            if (owed >= 2_000_000) {
                long begun = System.nanoTime();
                Thread.sleep(owed / 1_000_000, (int) (owed % 1_000_000));
                owed -= System.nanoTime() - begun;
            }
            return record;
        }
    }
}
