// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/import-draft.h"

namespace nadi
{

/// Maps the file that says what remote memory is: `memory-type` and so on. GB are 10^9 bytes.
void ImportAstraSimMemory(const ConfigNode& root, ImportDraft& draft);

} // namespace nadi
