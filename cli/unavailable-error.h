// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <stdexcept>

namespace nadi
{

/// Something that Nadi needs is not installed: exit 69.
class UnavailableError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

} // namespace nadi
