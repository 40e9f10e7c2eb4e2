// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"

#include <string>
#include <string_view>

namespace nadi
{

/// Reads an inflated binary trace of any schema. Throws as ParseDocument does.
TraceDocument ReadBinaryDocument(std::string_view contents, const std::string& source);

/// Reads a trace in one of the JSON forms that ParseJsonTrace knows. Throws as it does, and for
/// members that no node has.
TraceDocument ReadJsonDocument(std::string_view contents, const std::string& source);

} // namespace nadi
