// Ends the transaction whose metadata hold a token: a read that was cancelled.
// $token: text
SHOW TRANSACTIONS YIELD transactionId AS id, metaData
WHERE metaData.trustuqa = $token
TERMINATE TRANSACTIONS id YIELD message
RETURN message
