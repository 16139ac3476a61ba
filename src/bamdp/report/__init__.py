"""The report: what is stored beside what is published, a pure function of stored rows."""
