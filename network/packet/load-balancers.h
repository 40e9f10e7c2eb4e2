// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"

#include <vector>

namespace nadi
{

struct PartKind;

/// The load balancers of the packet network, as a user may choose them; `ecmp` first.
const std::vector<ComponentInfo>& DescribeLoadBalancers();

PartKind LoadBalancerKind();

/// Throws ConfigError, with the parameter as its place, where one of a load balancer is out of
/// range.
void CheckLoadBalancer(const ComponentChoice& choice);

} // namespace nadi
