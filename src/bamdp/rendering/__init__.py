"""Images and films of domains, drawn with Pillow."""
