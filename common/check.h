// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <stdexcept>
#include <string>

namespace nadi
{

/// A bug of ours: a broken invariant. Caught once, in `cli/` (exit 70).
class CheckFailure : public std::logic_error
{
  public:
    using std::logic_error::logic_error;
};

[[noreturn]] inline void
FailCheck(const char* file, int line, const char* condition)
{
    throw CheckFailure(std::string(file) + ":" + std::to_string(line) +
                       ": does not hold: " + condition);
}

} // namespace nadi

/// States an invariant; on in every build, since a wrong result that nobody notices is worse than a
/// run that stops. Throws CheckFailure when it does not hold.
#define NADI_CHECK(condition)                                                                      \
    do                                                                                             \
    {                                                                                              \
        if (!(condition)) [[unlikely]]                                                             \
        {                                                                                          \
            ::nadi::FailCheck(__FILE__, __LINE__, #condition);                                     \
        }                                                                                          \
    }                                                                                              \
    while (false)
