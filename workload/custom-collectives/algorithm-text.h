// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <optional>
#include <string>

namespace nadi
{

/// What the traces of a collective were converted from: the algorithm in MSCCL's XML, which the
/// current converter leaves in attribute `input_file` of their metadata. Such traces have no
/// `comm_size`; so none where the messages of the first rank have sizes, or there is no such text.
///
/// Throws ConfigError as the reader of traces.
std::optional<std::string> FindAlgorithmText(const std::string& pattern);

} // namespace nadi
