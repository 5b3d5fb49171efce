"""The engine on Spark: it needs Java and PySpark."""
