"""Pictures and films of worlds, drawn by Pillow."""
