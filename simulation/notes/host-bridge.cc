// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/host-bridge.h"

#include "common/component.h"
#include "common/unit-parser.h"
#include "configuration/topology-section.h"

#include <fmt/format.h>

#include <optional>

namespace nadi
{

namespace
{

/// Of a NIC of Polaris. The tables of validation.md that the costs of that path are fitted to have
/// this rate (scripts/validation/machine.py).
const Bandwidth MEASURED = Bandwidth::FromBytesPerSecond(18'200'000'000);

bool
HasHostBridge(const ComponentChoice& library)
{
    const auto path = library.parameters.find("nic-path");
    return path != library.parameters.end() && path->second == "host-bridge";
}

} // namespace

void
NoteHostBridge(const Config& config, std::vector<std::string>& notes)
{
    const std::optional<NodeHardware> nodes = FindNodes(config.network);
    if (!nodes || nodes->nodes == 1 || !HasHostBridge(config.system.options.library) ||
        nodes->pathBandwidth <= MEASURED)
    {
        return;
    }
    notes.push_back(fmt::format("system.library.nic-path: host-bridge sets no rate, and this "
                                "network gives NICs {}: through a host bridge, {} were measured; "
                                "give the NIC, and no other link, the bandwidth of that way",
                                ToText(nodes->pathBandwidth),
                                ToText(MEASURED)));
}

} // namespace nadi
