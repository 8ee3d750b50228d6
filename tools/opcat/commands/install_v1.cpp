#include "install.hpp"
#include "support/error.hpp"
#include "upgrade.hpp"

namespace opcat {

void install_v1(const InstallOptions&, const Connection&, Session&) {
    throw Error("opcat cannot install with OLM v1 yet");
}

void install_plain(const InstallOptions&, const Connection&, Session&) {
    throw Error("opcat cannot install without OLM yet");
}

void upgrade_v1(const UpgradeOptions&, const Connection&, Session&) {
    throw Error("opcat cannot upgrade with OLM v1 yet");
}

} // namespace opcat
