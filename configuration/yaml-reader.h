// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config-node.h"

#include <istream>

namespace nadi
{

/// Reads one YAML document; every value remembers its line.
///
/// Throws ConfigError at `source`: invalid YAML, a key given twice, a key that is not a plain
/// value, an alias inside its own anchor, more than one document, nesting deeper than 64, more
/// than 512 MiB or ten million values, anchors that hold as many values, aliases that repeat more
/// than a million. So memory follows the size of the text: some 130 bytes for each value, and as
/// many for each that an anchor holds.
ConfigNode ReadYaml(std::istream& text, const SourceText& source);

} // namespace nadi
