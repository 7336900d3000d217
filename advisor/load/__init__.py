"""The load tester: what a server under load answers, when, and how good it is. It knows the server by gRPC alone."""
