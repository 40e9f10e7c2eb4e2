// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// How messages travel; `network.backend`.
enum class BackendKind : uint8_t
{
    Packet,     ///< frame by frame
    Flow,       ///< at max-min fair rates
    Analytical, ///< waiting for each other at the NPUs' own ports only
};

/// The words of the configuration.
inline const std::vector<std::pair<std::string, BackendKind>> BACKEND_NAMES{
    {"packet", BackendKind::Packet},
    {"flow", BackendKind::Flow},
    {"analytical", BackendKind::Analytical}};

std::string ToText(BackendKind backend);

} // namespace nadi
