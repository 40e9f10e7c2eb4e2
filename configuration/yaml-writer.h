// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/codec.h"

#include <string>

namespace nadi
{

/// A value as YAML; short mappings and lists two levels down or deeper stand on one line.
std::string WriteYaml(const Json& value);

} // namespace nadi
