// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "configuration/field.h"

namespace nadi
{

/// The key `network.packet`. Reading it throws ConfigError for options that exclude each other.
Field MakePacketField(NetworkConfig& network);

} // namespace nadi
