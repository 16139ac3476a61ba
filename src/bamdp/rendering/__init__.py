"""Images and films of the infinite grid."""
