"""A stand-in for a Kubernetes API server: enough of one for the real kubectl, and honest in what it refuses."""
