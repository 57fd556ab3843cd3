package knflink;

import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * A small job that ends by itself. It has the JobManager and the TaskManagers of a new cluster load and compile the
 * classes that each job needs: graph, scheduler, tasks, network, keyed state. It reads and writes nothing outside of
 * Flink, prints nothing, and makes no checkpoint. It uses only what Flink 1.17 to 2.3 have under the same names.
 */
public final class WarmUp {
    private static final long RECORDS = 20_000;
    private static final int KEYS = 128;

    private WarmUp() {}

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.getCheckpointConfig().disableCheckpointing();
        env.fromSequence(1, RECORDS)
                .map(n -> n + 1)
                .keyBy(n -> n % KEYS)
                .process(new Count())
                .filter(n -> n < 0)
                .print();
        env.execute("kn-flink warm-up");
    }

    /** Counts the records of each key in keyed state, and passes the counts on. */
    private static final class Count extends KeyedProcessFunction<Long, Long, Long> {
        private transient ValueState<Long> seen;

        @Override
        public void processElement(Long n, Context context, Collector<Long> out) throws Exception {
            if (seen == null) { // open() has another signature in Flink 1.17 than in 2.0
                seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Long.class));
            }
            Long before = seen.value();
            long now = before == null ? 1 : before + 1;
            seen.update(now);
            out.collect(now);
        }
    }
}
