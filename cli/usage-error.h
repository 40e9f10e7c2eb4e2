// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <stdexcept>

namespace nadi
{

/// The command line asks for what cannot be: exit 2.
class UsageError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

} // namespace nadi
