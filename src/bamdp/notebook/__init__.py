"""HTML and SVG representations of plans, records and beliefs in notebooks."""
