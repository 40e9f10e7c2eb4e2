// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/config/config.h"
#include "cli/config/field.h"

namespace nadi
{

/// The keys of `network.packet`.
Section DescribePacket(NetworkConfig& network);

} // namespace nadi
