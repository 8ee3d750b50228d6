"""A stand-in for a Kubernetes API server: enough for the real kubectl, with the refusals of a real one."""
