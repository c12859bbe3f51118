"""A call put into the words of ONNX, for frameworks that take models and not calls."""
