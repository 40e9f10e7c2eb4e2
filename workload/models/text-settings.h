// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/text-file.h"
#include "workload/models/workload-line.h"

#include <map>
#include <string>

namespace nadi
{

/// The policies of layers by name; a file may have HYBRID_CUSTOMIZED besides.
const std::map<std::string, TextPolicy>& TextPolicies();

/// Reads the first line, the policy with its settings, into `file`. No word of the line is passed
/// over.
///
/// The dialect of SimAI is read as far as it says nothing else than ASTRA-sim 1.0 could: `ep:`,
/// `pp:` and `ga:` are 1. Then `vpp:` and `pp_comm`, of stages of a pipeline, mean nothing. Any of
/// its settings says that the file is of SimAI, which counts all-gathers by what they gather.
///
/// Throws ConfigError at the line for a word that is no setting of the policy, or one that stands
/// there twice.
void ReadTextSettings(const WorkloadLine& line, TextFile& file);

} // namespace nadi
