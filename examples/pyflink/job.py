"""Orders that Flink makes up; what a function in Python says of them is printed by the TaskManager."""
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.udf import udf


@udf(result_type=DataTypes.STRING())
def label(price):
    return "expensive" if price > 50 else "cheap"


tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
tables.create_temporary_function("label", label)
tables.execute_sql("""
    CREATE TABLE orders (id BIGINT, price INT) WITH (
      'connector' = 'datagen',
      'rows-per-second' = '5',
      'fields.price.min' = '1',
      'fields.price.max' = '100'
    )""")
tables.execute_sql("CREATE TABLE labels (id BIGINT, said STRING) WITH ('connector' = 'print')")
tables.execute_sql("INSERT INTO labels SELECT id, label(price) FROM orders")
