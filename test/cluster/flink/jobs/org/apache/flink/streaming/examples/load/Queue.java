package org.apache.flink.streaming.examples.load;

import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A queue outside of Flink, as a source: it fills at a rate that a file names, in records per second, whoever reads and
 * whether anybody does. What waits in it is the metric pendingRecords. It has partitions, which readers share.
 */
class Queue implements Source<Long, Queue.Partition, List<Queue.Partition>> {
    private static final int PARTITIONS = 24;
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(50);

    private final String file;

    Queue(String file) {
        this.file = file;
    }

    /** A share of the queue: how many records it has had, when that was, and how many of them were read. */
    static class Partition implements SourceSplit {
        final int number;
        double filled;
        long at;
        long read;

        Partition(int number, double filled, long at, long read) {
            this.number = number;
            this.filled = filled;
            this.at = at;
            this.read = read;
        }

        @Override
        public String splitId() {
            return Integer.toString(number);
        }

        void fill(double rate, long now) {
            filled += rate / PARTITIONS * Math.max(0, now - at) / 1000;
            at = now;
        }

        long waiting() {
            return (long) filled - read;
        }
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<Long, Partition> createReader(SourceReaderContext context) {
        return new Reader(context, Path.of(file));
    }

    @Override
    public SplitEnumerator<Partition, List<Partition>> createEnumerator(SplitEnumeratorContext<Partition> context) {
        List<Partition> all = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            all.add(new Partition(i, 0, System.currentTimeMillis(), 0));
        }
        return new Enumerator(context, all);
    }

    @Override
    public SplitEnumerator<Partition, List<Partition>> restoreEnumerator(
            SplitEnumeratorContext<Partition> context, List<Partition> left) {
        return new Enumerator(context, left);
    }

    @Override
    public SimpleVersionedSerializer<Partition> getSplitSerializer() {
        return new PartitionSerializer();
    }

    @Override
    public SimpleVersionedSerializer<List<Partition>> getEnumeratorCheckpointSerializer() {
        return new PartitionsSerializer();
    }

    private static class Reader implements SourceReader<Long, Partition> {
        private final SourceReaderContext context;
        private final Path file;
        private final List<Partition> partitions = new ArrayList<>();
        private ScheduledExecutorService clock;
        private volatile long waiting;
        private int next;

        Reader(SourceReaderContext context, Path file) {
            this.context = context;
            this.file = file;
        }

        @Override
        public void start() {
            context.metricGroup().setPendingRecordsGauge(() -> waiting);
            clock = Executors.newSingleThreadScheduledExecutor();
            clock.scheduleAtFixedRate(this::look, 0, LOOK, TimeUnit.NANOSECONDS);
        }

        @Override
        public InputStatus pollNext(ReaderOutput<Long> output) {
            Long record = next();
            if (record == null) {
                return InputStatus.NOTHING_AVAILABLE;
            }
            context.metricGroup().getIOMetricGroup().getNumRecordsInCounter().inc();
            output.collect(record);
            return InputStatus.MORE_AVAILABLE;
        }

        private synchronized Long next() {
            for (int i = 0; i < partitions.size(); i++) {
                Partition p = partitions.get(next++ % partitions.size());
                if (p.waiting() > 0) {
                    p.read++;
                    return p.read * PARTITIONS + p.number;
                }
            }
            return null;
        }

        /** Reads the rate and lets the partitions fill. A file that is not there, or is no number, is no load. */
        private synchronized void look() {
            double rate;
            try {
                rate = Double.parseDouble(Files.readString(file).trim());
            } catch (IOException | NumberFormatException e) {
                rate = 0;
            }
            long sum = 0;
            for (Partition p : partitions) {
                p.fill(rate, System.currentTimeMillis());
                sum += p.waiting();
            }
            waiting = sum;
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return CompletableFuture.runAsync(
                    () -> {}, CompletableFuture.delayedExecutor(LOOK, TimeUnit.NANOSECONDS));
        }

        @Override
        public synchronized List<Partition> snapshotState(long checkpoint) {
            List<Partition> then = new ArrayList<>();
            for (Partition p : partitions) {
                then.add(new Partition(p.number, p.filled, p.at, p.read));
            }
            return then;
        }

        @Override
        public synchronized void addSplits(List<Partition> more) {
            partitions.addAll(more);
        }

        @Override
        public void notifyNoMoreSplits() {}

        @Override
        public void close() {
            if (clock != null) {
                clock.shutdownNow();
            }
        }
    }

    private static class Enumerator implements SplitEnumerator<Partition, List<Partition>> {
        private final SplitEnumeratorContext<Partition> context;
        private final List<Partition> left;

        Enumerator(SplitEnumeratorContext<Partition> context, List<Partition> left) {
            this.context = context;
            this.left = new ArrayList<>(left);
        }

        @Override
        public void start() {}

        @Override
        public void handleSplitRequest(int subtask, String host) {}

        @Override
        public void addSplitsBack(List<Partition> back, int subtask) {
            left.addAll(back);
        }

        /** Hands the partitions out once all readers are there. */
        @Override
        public void addReader(int subtask) {
            if (context.registeredReaders().size() < context.currentParallelism()) {
                return;
            }
            for (Partition p : left) {
                context.assignSplit(p, p.number % context.currentParallelism());
            }
            left.clear();
        }

        @Override
        public List<Partition> snapshotState(long checkpoint) {
            return new ArrayList<>(left);
        }

        @Override
        public void close() {}
    }

    private static class PartitionSerializer implements SimpleVersionedSerializer<Partition> {
        static final int LENGTH = 28;

        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(Partition p) {
            return ByteBuffer.allocate(LENGTH).putInt(p.number).putDouble(p.filled).putLong(p.at).putLong(p.read).array();
        }

        @Override
        public Partition deserialize(int version, byte[] content) {
            return of(ByteBuffer.wrap(content));
        }

        static Partition of(ByteBuffer from) {
            return new Partition(from.getInt(), from.getDouble(), from.getLong(), from.getLong());
        }
    }

    private static class PartitionsSerializer implements SimpleVersionedSerializer<List<Partition>> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(List<Partition> all) {
            ByteBuffer content = ByteBuffer.allocate(all.size() * PartitionSerializer.LENGTH);
            for (Partition p : all) {
                content.put(new PartitionSerializer().serialize(p));
            }
            return content.array();
        }

        @Override
        public List<Partition> deserialize(int version, byte[] content) {
            List<Partition> all = new ArrayList<>();
            for (ByteBuffer from = ByteBuffer.wrap(content); from.hasRemaining(); ) {
                all.add(PartitionSerializer.of(from));
            }
            return all;
        }
    }
}
