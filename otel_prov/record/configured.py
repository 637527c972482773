"""OpenTelemetry's declarative configuration, for programs that are not started by ``opentelemetry-instrument``.

(OpenTelemetry's SDK reads ``OTEL_CONFIG_FILE`` in its private set-up only; this is the public way to the same.)
"""

from __future__ import annotations

from otel_prov.environment import CONFIG_FILE, config_file
from otel_prov.losses import lost

__all__ = ["set_up_from_file"]

NOT_SET_UP = "nothing is traced: the configuration file can't be used"


def set_up_from_file() -> bool:
    """Make the program's providers as the file says; whether it could be used."""
    try:
        from opentelemetry.configuration import configure_sdk, load_config_file
    except ImportError:
        lost(NOT_SET_UP, f"{CONFIG_FILE} is set; pip install opentelemetry-configuration, or unset it")
        return False
    try:
        configure_sdk(load_config_file(config_file()))
    except Exception as error:  # the package's own, YAML's, and whatever a plug-in raises
        lost(NOT_SET_UP, f"{CONFIG_FILE}={config_file()}: {' '.join(str(error).split())}")
        return False
    return True
