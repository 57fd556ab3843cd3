package org.apache.flink.streaming.examples.statemachine;

import org.apache.flink.api.common.functions.MapFunction;

/**
 * Lets so many records through a second. It keeps nothing: after a restore it begins to count anew.
 *
 * @param <T> what the records are
 */
public class Pace<T> implements MapFunction<T, T> {
    private final long perSecond;
    private transient long since;
    private transient long count;

    public Pace(long perSecond) {
        this.perSecond = perSecond;
    }

    @Override
    public T map(T record) throws InterruptedException {
        if (since == 0) {
            since = System.nanoTime();
        }
        count++;
        long early = count * 1_000_000_000L / perSecond - (System.nanoTime() - since);
        if (early > 0) {
            Thread.sleep(early / 1_000_000L, (int) (early % 1_000_000L));
        } else if (early < -1_000_000_000L) { // it was held up: what was missed is not made up for
            since = 0;
            count = 0;
        }
        return record;
    }
}
