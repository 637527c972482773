"""The PROV view of a session: valid PROV, beside what TrustGraph reads."""

from otel_prov.describe.prov.view import describe_prov

__all__ = ["describe_prov"]
