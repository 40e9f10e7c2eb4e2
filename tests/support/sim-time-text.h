// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <catch2/catch.hpp>

#include <string>

/// So that a failed comparison shows the times.
template <>
struct Catch::StringMaker<nadi::SimTime>
{
    static std::string convert(nadi::SimTime time)
    {
        return std::to_string(time.Ps()) + " ps";
    }
};
