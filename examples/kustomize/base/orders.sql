-- Orders that Flink makes up; what costs much is printed by the TaskManager.
SET 'pipeline.name' = 'orders';

CREATE TABLE orders (
  id BIGINT,
  price INT,
  item STRING
) WITH (
  'connector' = 'datagen',
  'rows-per-second' = '5',
  'fields.price.min' = '1',
  'fields.price.max' = '100',
  'fields.item.length' = '5'
);

CREATE TABLE expensive (id BIGINT, price INT) WITH ('connector' = 'print');
CREATE TABLE items (item STRING) WITH ('connector' = 'blackhole');

EXECUTE STATEMENT SET BEGIN
  INSERT INTO expensive SELECT id, price FROM orders WHERE price > 50;
  INSERT INTO items SELECT item FROM orders;
END;
