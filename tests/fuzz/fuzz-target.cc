// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/fuzz-target.h"

#include "common/error.h"
#include "common/usage-error.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace nadi::fuzz
{

namespace
{

bool
Refuse(const std::exception& error)
{
    Require(error.what()[0] != '\0', "an error tells what is wrong");
    return false;
}

} // namespace

bool
Succeeds(const std::function<void()>& read)
{
    try
    {
        read();
        return true;
    }
    catch (const ConfigError& error)
    {
        Require(error.what() == MakeOneLine(error.what()), "an error is one line");
        return Refuse(error);
    }
    catch (const UsageError& error)
    {
        return Refuse(error);
    }
    catch (const JobError& error)
    {
        return Refuse(error);
    }
}

void
Require(bool holds, const char* law)
{
    if (!holds)
    {
        std::fprintf(stderr, "does not hold: %s\n", law);
        std::abort();
    }
}

} // namespace nadi::fuzz
