// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/inspection/trace-check.h"

#include <string>

namespace nadi
{

/// The check as JSON: `nodes`, the number of `ranks`, how many `errors`, `warnings` and `notes`
/// there are, and `findings`, each with `severity`, `file`, `ranks`, `count` and `nodes` (id and
/// name of the first; of a cycle all), whether they are a `cycle`, and `text`.
std::string FormatCheckJson(const TraceCheck& check);

} // namespace nadi
