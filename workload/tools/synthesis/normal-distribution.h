// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace nadi
{

/// The share of a standard normal distribution that lies below `z`.
double ComputeNormalShare(double z);

/// The point below which `share` of a standard normal distribution lies: the inverse of
/// ComputeNormalShare, to about 14 digits. Requires: 0 < share < 1.
double FindNormalQuantile(double share);

} // namespace nadi
