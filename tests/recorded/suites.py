"""All suites by name."""
from batches import OlmClassic, OlmV1, Versions
from catalogd_answers import CatalogdAnswers
from opm_commands import OpmCommands
from registry_answers import RegistryAnswers

SUITES = {'opm': OpmCommands(), 'registry': RegistryAnswers(), 'catalogd': CatalogdAnswers(), 'versions': Versions(), 'olm-v1': OlmV1(),
          'olm-classic': OlmClassic()}
