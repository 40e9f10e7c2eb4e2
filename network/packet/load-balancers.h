// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"

#include <vector>

namespace nadi
{

struct PartKind;

/// The name of the choice that gives each flow one way, by its hash.
constexpr const char* ECMP = "ecmp";

/// The load balancers of the packet network, as a user may choose them; `ecmp` first.
const std::vector<ComponentInfo>& DescribeLoadBalancers();

PartKind LoadBalancerKind();

} // namespace nadi
