// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"

#include <string>
#include <vector>

namespace nadi
{

struct PartKind;

/// The name of the choice that leaves every queue pair at line rate.
constexpr const char* NO_CONGESTION_CONTROL = "none";

/// A congestion control of the packet network, as a user may choose it.
struct CongestionControlInfo : ComponentInfo
{
    bool answersEveryFrame = false; ///< acts on every acknowledgement: needs one per frame
    bool needsMarks = false;        ///< acts on ECN marks alone: does nothing where there are none
};

/// All of them, `none` first.
const std::vector<CongestionControlInfo>& DescribeCongestionControls();

/// The one of that name, or nullptr.
const CongestionControlInfo* FindCongestionControl(const std::string& name);

PartKind CongestionControlKind();

/// Throws ConfigError, with the parameter as its place, where one of a congestion control is out of
/// range.
void CheckCongestionControl(const ComponentChoice& choice);

} // namespace nadi
