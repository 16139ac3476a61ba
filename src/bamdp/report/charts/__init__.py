"""The pictures of the report, one file a figure of the paper; see `bamdp.report.chart`."""
