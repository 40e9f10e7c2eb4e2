// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"

#include <string>

namespace nadi
{

/// The trace as one JSON value, `{"metadata": {...}, "nodes": [{...}, ...]}`, a node a line, each
/// message as the rules of proto3 say: names in camel case, 64-bit numbers as text, enums by name.
/// ParseDocument and ParseTrace read it back; ParseDocument loses nothing but what JSON cannot say:
/// fields of a binary trace that schema 1.0.0 does not have, the sign of -0 and the bits of a NaN.
std::string FormatJsonDocument(const TraceDocument& document);

} // namespace nadi
