// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

namespace nadi::test
{

/// For a configuration whose test is about something else.
inline const std::string WORKLOAD = "workload: {collective: {type: all-reduce, size: 1 MiB}}\n";

} // namespace nadi::test
