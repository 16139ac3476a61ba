"""Pictures as data: shapes with roles (`shapes`), made in one place (`views`, `grid`, `tree`),
drawn as SVG or with Pillow.
"""
