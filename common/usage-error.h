// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <stdexcept>

namespace nadi
{

/// What the user asked the program to do cannot be done, such as to write results where other files
/// lie; the text says why. `nadi` ends with exit 2.
class UsageError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

} // namespace nadi
