// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

namespace nadi
{

/// Writes a file that has either its old content or all of the new one, whatever happens. A link
/// keeps leading to the file that it leads to, and what is no file, such as /dev/null or a pipe, is
/// written to as it is.
///
/// Throws UsageError, which names `option`, where the path cannot be written.
void SaveWhole(const std::string& text, const std::string& path, const std::string& option);

} // namespace nadi
