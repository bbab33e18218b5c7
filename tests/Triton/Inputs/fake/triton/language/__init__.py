constexpr = "constexpr"
