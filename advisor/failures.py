"""Errors as messages inside a stream, where one question's failure must not end the others."""

from advisor.errors import MAX_VIOLATIONS, STATUS_OF_NUMBER, AdvisorError, clip
from advisor.v1 import advisor_service_pb2
from ext.errors import Violation


def write_failure(error: AdvisorError) -> advisor_service_pb2.BatchFailure:
    """Return the message of an error: what its status would say."""
    code: int = error.status.value[0]
    failure = advisor_service_pb2.BatchFailure(code=code, reason=error.reason, message=clip(error.message, 400))
    for path, text in error.violations[:MAX_VIOLATIONS]:
        failure.faults.add(field=clip(path, 200), description=clip(text, 300))
    for key, value in error.metadata.items():
        failure.metadata[key] = clip(value, 400)
    if error.violations:
        failure.metadata["violations"] = str(len(error.violations))
    if error.retry_after is not None:
        failure.retry_delay.FromMilliseconds(error.retry_milliseconds)
    return failure


def read_failure(failure: advisor_service_pb2.BatchFailure) -> AdvisorError:
    """Return the error that a failure tells of, as a call of its own would have raised it."""
    return AdvisorError(
        failure.reason,
        failure.message,
        status=STATUS_OF_NUMBER[failure.code],
        violations=[Violation(fault.field, fault.description) for fault in failure.faults],
        metadata=failure.metadata,
        retry_after=failure.retry_delay.ToMilliseconds() / 1000 if failure.HasField("retry_delay") else None,
    )
