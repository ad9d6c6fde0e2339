package lock

// The prefixes of the lock keys. They have been in use since the first release and stay as they are.
const (
	limitPrefix   = "limit:member:"
	creditPrefix  = "credit:member:"
	quotaPrefix   = "quota:member:"
	casePrefix    = "review:case:"
	settlePrefix  = "settle:merchant:"
	payoutPrefix  = "payout:merchant:"
	archivePrefix = "archive:month:"
)

// HoldsKey covers all holds: expiring them is one job.
const HoldsKey = "holds:expire"

// LimitKey names the lock of a member's credit limit.
func LimitKey(member string) string { return limitPrefix + member }

// CreditKey names the lock of a member's balance.
func CreditKey(member string) string { return creditPrefix + member }

// QuotaKey names the lock of a member's quota.
func QuotaKey(member string) string { return quotaPrefix + member }

// CaseKey names the lock of a review case.
func CaseKey(id string) string { return casePrefix + id }

// SettleKey names the lock of a merchant's settlement.
func SettleKey(merchant string) string { return settlePrefix + merchant }

// PayoutKey names the lock of a merchant's payout.
func PayoutKey(merchant string) string { return payoutPrefix + merchant }

// ArchiveKey names the lock of a month's archive.
func ArchiveKey(month string) string { return archivePrefix + month }
