constexpr = "constexpr"
int64 = "i64"
